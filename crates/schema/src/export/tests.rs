//! Every form read back: what the template accepts can be said in it, and what it allows is accepted.

mod forms;

mod gemini;

mod grammar;

mod openai;

mod programs;

mod read_back;

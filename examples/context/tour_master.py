"""The master of the tour plan: three independent agents, side by side (asynchronous)."""

from master import Master, data, short

GOALS = {"flight": "book the flights", "hotel": "find a hotel", "weather": "know the weather"}
SIGNS = {
    "flight": {"1": "from BER to FCO on 2026-05-08", "2": "from FCO to BER on 2026-05-11"},
    "hotel": {"1": "takes dogs"},
    "weather": {"1": "from May 8 to 11"},
}

master = Master("tour-master", data("guests", "hotels", "flights", "climate"))
master.begin(
    "Plan us a long weekend in Rome in May, with the dog.",
    "tour plan",
    "Flights, a hotel and the weather for three nights in Rome, for two and a dog.",
    GOALS.values(),
    [
        master.made_out("hotel", "hotel-agent", "Hotel booking",
                        ["Find a hotel near the Colosseum that takes a dog, for at most 180 EUR a night"], ["guests", "hotels"]),
        master.made_out("flight", "flight-agent", "Flight booking",
                        ["Find a flight from BER to FCO on 2026-05-08", "Find a flight from FCO to BER on 2026-05-11"],
                        ["guests", "flights"]),
        master.made_out("weather", "weather-agent", "Weather checking",
                        ["Say what the weather in Rome is like from May 8 to May 11"], ["climate"]),
    ],
)
plan = {}
while len(plan) < 3:
    for subtask in master.awaited():
        results = master.results(subtask)
        if master.evaluate(subtask, results, SIGNS[subtask]):
            plan[subtask] = "; ".join(short(said) for said in results.values())
            master.reached(GOALS[subtask], plan[subtask])
for subtask in GOALS:
    master.say(f"plan: {plan[subtask]}")
master.close()

//! `otherwise completions`: a script that lets a shell complete commands and options.

use clap::Args;
use clap_complete::Shell;

use crate::cli;
use crate::cli::ExitStatus;

/// For which shell.
#[derive(Clone, Debug, Args)]
pub struct CompletionsArguments {
    /// The shell; for bash: `source <(otherwise completions bash)`.
    shell: Shell,
}

/// Prints the script.
pub fn run(arguments: &CompletionsArguments) -> ExitStatus {
    cli::answer(script(arguments.shell).trim_end());
    ExitStatus::Well
}

fn script(shell: Shell) -> String {
    let mut script: Vec<u8> = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "otherwise", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use clap_complete::Shell;

    use super::script;

    #[test]
    fn every_shell_is_told_every_command() {
        let commands = crate::cli::command();
        for shell in Shell::value_variants() {
            let script = script(*shell);
            for command in commands.get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }
}

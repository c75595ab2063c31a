import { type Command, Help } from "commander";

/** Shortens lists of commands: the main one has names without arguments, and none has `help`, which still works. */
export function styleHelp(program: Command): Command {
  return program.configureHelp({
    subcommandTerm: (command) => (command.parent === program ? command.name() : new Help().subcommandTerm(command)),
    visibleCommands: ({ commands }) => [...commands],
  });
}

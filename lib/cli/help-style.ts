import { type Command, Help } from "commander";

/** Keeps each list of commands on one screen: names alone in the list of all, and `help`, which stays, in none. */
export function styleHelp(program: Command): Command {
  return program.configureHelp({
    subcommandTerm: (command) =>
      command.parent === program ? command.name() : Help.prototype.subcommandTerm.call(new Help(), command),
    visibleCommands: ({ commands }) => [...commands],
  });
}

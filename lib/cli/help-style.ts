import { type AddHelpTextContext, type AddHelpTextPosition, Command, Help } from "commander";
import { commandLine, commandName, npxCommand } from "#lib/platform/command-line";

/** Shortens lists of commands: the main one has names without arguments and no options, and none has `help`, which still works. */
export function styleHelp(program: Command): Command {
  return program.configureHelp({
    subcommandTerm: (command) => (command.parent === program ? command.name() : new Help().subcommandTerm(command)),
    visibleCommands: ({ commands }) => [...commands],
    visibleOptions: (command) => (command === program ? [] : new Help().visibleOptions(command)),
  });
}

/** Returns how a command is called that only the package of the server may have. */
export function serverCommand(program: Command, name: string, rest = ""): string {
  const isHere = program.commands.some((command) => command.name() === name);
  const call = isHere ? commandLine(name) : `${npxCommand("@tapedeck/server", "tapedeck-server")} ${name}`;
  return `${call} ${rest}`.trimEnd();
}

type HelpText = string | ((context: AddHelpTextContext) => string);

/** A command whose examples are written with `tapedeck`, and shown as the user calls it here. */
export class TapedeckCommand extends Command {
  override createCommand(name?: string): Command {
    return new TapedeckCommand(name);
  }

  override addHelpText(position: AddHelpTextPosition, text: HelpText): this {
    return super.addHelpText(position, (context) =>
      (typeof text === "string" ? text : text(context)).replaceAll(
        /(?<![\w./-])tapedeck (?=[a-z])/g,
        () => `${commandName()} `,
      ),
    );
  }
}

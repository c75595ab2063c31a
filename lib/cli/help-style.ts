import { type AddHelpTextContext, type AddHelpTextPosition, Command, Help } from "commander";
import { commandName } from "#lib/platform/command-line";

/** Shortens lists of commands: the main one has names without arguments, and none has `help`, which still works. */
export function styleHelp(program: Command): Command {
  return program.configureHelp({
    subcommandTerm: (command) => (command.parent === program ? command.name() : new Help().subcommandTerm(command)),
    visibleCommands: ({ commands }) => [...commands],
  });
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

import { commandLine } from "#lib/platform/command-line";
import { config } from "#lib/platform/config";
import { isLoopbackHost } from "#lib/platform/loopback";
import { CodeBlock } from "./code-block";

/** How to get a key on a server that sells none: from the operator, or by a command on one's own machine. */
export function GetKey({ origin }: { origin: string }) {
  const { SUPPORT_CONTACT: contact } = config();
  const isOwnMachine = isLoopbackHost(new URL(origin).hostname);
  return (
    <div className="stack tight">
      {contact && (
        <p>
          Ask the operator for a key: <a href={contact}>{contact.replace(/^mailto:/, "")}</a>.
        </p>
      )}
      {(isOwnMachine || !contact) && (
        <>
          <p>
            {isOwnMachine
              ? "On your own machine every tier is free. Create a key in the folder of Tapedeck:"
              : "Ask the operator for a key. The operator creates it with this command:"}
          </p>
          <CodeBlock code={commandLine("keys create --tier pro")} label="command that creates a key" wrap />
        </>
      )}
    </div>
  );
}

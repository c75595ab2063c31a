import { config } from "#lib/platform/config";
import { isLoopbackHost } from "#lib/platform/loopback";
import { CodeBlock } from "./code-block";
import styles from "./get-key.module.css";

/** Creates a key on the operator's machine. */
const command = "npm run -s tapedeck -- keys create --tier pro";

/** The contact as text: the address of a `mailto:` URL without its scheme. */
const shownContact = (contact: string) => contact.replace(/^mailto:/, "");

/** How to get a key on a server that sells none: from the operator, or by a command on one's own machine. */
export function GetKey({ origin }: { origin: string }) {
  const { SUPPORT_CONTACT: contact } = config();
  const isOwnMachine = isLoopbackHost(new URL(origin).hostname);
  return (
    <div className={styles.get}>
      {contact && (
        <p>
          Ask the operator for a key: <a href={contact}>{shownContact(contact)}</a>.
        </p>
      )}
      {(isOwnMachine || !contact) && (
        <>
          <p>
            {isOwnMachine
              ? "On your own machine, create a key in the folder of Tapedeck:"
              : "Ask the operator for a key. The operator creates it with this command:"}
          </p>
          <CodeBlock code={command} label="command that creates a key" wrap />
        </>
      )}
    </div>
  );
}

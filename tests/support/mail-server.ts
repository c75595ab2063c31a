import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Mail, MailSettings } from "#lib/platform/mail/index";

/** A mail as the server received it. */
export type ReceivedMail = {
  from: string;
  to: string;
  isEncrypted: boolean;
  /** Names in lower case, values unfolded but not decoded. */
  headers: Map<string, string>;
  raw: string;
  text: string;
  html: string;
};

/** Decodes the encoded words of a header (RFC 2047) in UTF-8. */
export function decodeHeader(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_word, encoding: string, text: string) =>
      encoding.toLowerCase() === "b"
        ? Buffer.from(text, "base64").toString("utf8")
        : decodeQuotedPrintable(text.replaceAll("_", " ")),
    );
}

function decodeQuotedPrintable(text: string): string {
  const joined = text.replace(/=\r\n/g, "");
  const bytes = joined.replace(/=([0-9A-F]{2})/gi, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function split(part: string): { headers: Map<string, string>; body: string } {
  const end = part.indexOf("\r\n\r\n");
  const lines = part
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { headers, body: part.slice(end + 4) };
}

function bodyOf(raw: string, type: string): string {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1];
  const parts = raw.split(`--${boundary}`).map((part) => split(part.replace(/^\r\n/, "")));
  const found = parts.find(({ headers }) => headers.get("content-type")?.startsWith(type));
  if (!found) throw new Error(`The mail has no ${type}.`);
  const { headers, body } = found;
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8").replaceAll("\r\n", "\n");
  const decoded = encoding === "quoted-printable" ? decodeQuotedPrintable(body) : body;
  return decoded.replaceAll("\r\n", "\n").trimEnd();
}

/** An answer of the server: an SMTP status other than success. */
export type Refusal = { status: number; message: string };

/** A real SMTP server on the loopback interface, which keeps what it receives. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  /** Decides about a recipient; null takes it. */
  onRecipient: (address: string) => Refusal | null = () => null;
  /** Called with each mail before the server says that it took it. */
  onMail: (mail: ReceivedMail) => Promise<void> = async () => {};
  /** Logins as tried. */
  readonly logins: { username: string; password: string; isEncrypted: boolean }[] = [];
  /** Whether connections are refused. A server that is stopped could lose its port to another test. */
  isDown = false;
  openCount = 0;
  maxOpenCount = 0;
  port = 0;
  #server: SMTPServer | undefined;

  constructor(readonly options: SMTPServerOptions = {}) {}

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  get settings(): MailSettings {
    return {
      smtpUrl: this.url,
      from: { name: "Tapedeck", address: "alerts@tapedeck.example" },
      origin: "https://tapedeck.example",
    };
  }

  /** The mails to an address. */
  to(address: string): ReceivedMail[] {
    return this.received.filter(({ to }) => to === address);
  }

  /** Listens on a free port. */
  async start(): Promise<void> {
    const refuse = ({ status, message }: Refusal) => Object.assign(new Error(message), { responseCode: status });
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: this.options.key ? [] : ["STARTTLS"],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 100,
      onConnect: (_session, done) => {
        this.openCount += 1;
        this.maxOpenCount = Math.max(this.maxOpenCount, this.openCount);
        done(this.isDown ? refuse({ status: 421, message: "down" }) : null);
      },
      onClose: () => {
        this.openCount -= 1;
      },
      onAuth: ({ username = "", password = "" }, session, done) => {
        this.logins.push({ username, password: String(password), isEncrypted: session.secure });
        if (password === "right") done(null, { user: username });
        else done(Object.assign(new Error(`no, ${password} is wrong`), { responseCode: 535 }));
      },
      onRcptTo: ({ address }, _session, done) => {
        const refusal = this.onRecipient(address);
        done(refusal ? refuse(refusal) : null);
      },
      onData: (stream, session, done) => {
        const parts: Buffer[] = [];
        stream.on("data", (part: Buffer) => parts.push(part));
        stream.on("end", async () => {
          const raw = Buffer.concat(parts).toString("utf8");
          const { mailFrom, rcptTo } = session.envelope;
          const mail = {
            from: mailFrom ? mailFrom.address : "",
            to: rcptTo.map((one) => one.address).join(","),
            isEncrypted: session.secure,
            headers: split(raw).headers,
            raw,
            text: bodyOf(raw, "text/plain"),
            html: bodyOf(raw, "text/html"),
          };
          this.received.push(mail);
          await this.onMail(mail);
          done();
        });
      },
      ...this.options,
    });
    this.#server.on("error", () => undefined);
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server.server, "listening");
    this.port = (this.#server.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server?.close(() => resolve()));
  }
}

/** Any mail to an address. */
export function mailTo(to: string, changes: Partial<Mail> = {}): Mail {
  return {
    to,
    subject: "A subject",
    text: "Text\n",
    html: "<p>Text</p>",
    messageId: "one@tapedeck.example",
    ...changes,
  };
}

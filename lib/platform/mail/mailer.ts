import type { ConnectionOptions } from "node:tls";
import * as z from "zod";
import { isLoopbackHost } from "../loopback";
import { secondMs } from "../time";
import type { MailSettings } from "./settings";

export type Mail = {
  /** One address. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Without angle brackets; the same for each attempt, so that a repeated mail can be recognised. */
  messageId: string;
  /** URL of the one-click unsubscription of RFC 8058. */
  unsubscribeUrl?: string;
};

/**
 * A mail could not be sent. The message has the server's status but not its text, which may contain the address, and no
 * secret.
 */
export class MailError extends Error {
  override readonly name = "MailError";

  /**
   * `refused`: the server will never take this mail for this address. `delayed`: it does not take it now. `unreachable`: it
   * takes no mail at all, because of the connection, the login or the sender.
   */
  constructor(
    readonly kind: "refused" | "delayed" | "unreachable",
    message: string,
    /** SMTP status; null if the server sent none. */
    readonly status: number | null,
  ) {
    super(message);
  }
}

export type Mailer = {
  /** Resolves when the server has taken the mail. Throws MailError. */
  send(mail: Mail): Promise<void>;
  /** Connects and logs in. Throws MailError. */
  verify(): Promise<void>;
};

export type MailerOptions = {
  /** Longest time for the connection, and for each answer of the server, in milliseconds. Default: 10 s. */
  answerTimeoutMs?: number;
  /** Longest time for a mail, in milliseconds. Default: 30 s. */
  mailTimeoutMs?: number;
  tls?: ConnectionOptions;
};

/** Longest time for a mail, in milliseconds. */
const defaultMailTimeoutMs = 30 * secondMs;

type SmtpFailure = {
  code?: string;
  originalCode?: string;
  command?: string;
  responseCode?: number;
  permanent?: boolean;
};

/** Codes of errors about one mail: its addresses and its content. */
const mailCodes = new Set(["EENVELOPE", "EMESSAGE"]);

function toMailError(thrown: unknown): MailError {
  const { code = "unknown", originalCode, command, responseCode, permanent } = (thrown ?? {}) as SmtpFailure;
  const status = responseCode ?? null;
  const message =
    status === null
      ? `no ${code === "ETLS" ? "secure connection to" : "answer from"} the mail server (${originalCode ?? code})`
      : `the mail server answered ${status}${command ? ` to ${command}` : ""}`;
  // A status 421 ends the session, whatever it answers.
  const isAboutMail = mailCodes.has(code) && command !== "MAIL FROM" && status !== null && status !== 421;
  return new MailError(isAboutMail ? (permanent ? "refused" : "delayed") : "unreachable", message, status);
}

async function failAsMailError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw toMailError(thrown);
  }
}

function connectionOf(smtpUrl: string, { answerTimeoutMs = 10 * secondMs, tls }: MailerOptions) {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const secure = protocol === "smtps:";
  const auth = username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : undefined;
  const timeouts = { connectionTimeout: answerTimeoutMs, greetingTimeout: answerTimeoutMs };
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    ...timeouts,
    socketTimeout: answerTimeoutMs,
    dnsTimeout: answerTimeoutMs,
    socketCloseTimeout: secondMs,
    // Without this, somebody on the network could hide STARTTLS and read the password.
    ...(auth && { auth, requireTLS: !secure && !isLoopbackHost(hostname) }),
    ...(tls && { tls }),
    // Mails contain neither files nor URLs to load.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Creates a mailer, which uses one connection per mail. It connects only when it is used. */
export async function createMailer(
  { smtpUrl, from }: Pick<MailSettings, "smtpUrl" | "from">,
  options: MailerOptions = {},
): Promise<Mailer> {
  // Loaded only on servers with mail.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport(connectionOf(smtpUrl, options));
  const { mailTimeoutMs = defaultMailTimeoutMs } = options;
  return {
    send: ({ to, subject, text, html, messageId, unsubscribeUrl }) =>
      failAsMailError(async () => {
        // The library reads several addresses, or another one, from a text that is not a plain address.
        if (!z.email().safeParse(to).success) throw Object.assign(new Error(), { code: "EENVELOPE" });
        await transport.sendMail({
          from,
          to: { name: "", address: to },
          envelope: { from: from.address, to: [to] },
          subject,
          text,
          html,
          messageId: `<${messageId}>`,
          headers: {
            "Auto-Submitted": "auto-generated",
            ...(unsubscribeUrl && {
              "List-Unsubscribe": `<${unsubscribeUrl}>`,
              "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            }),
          },
          xMailer: false,
          signal: AbortSignal.timeout(mailTimeoutMs),
        });
      }),
    verify: () => failAsMailError(async () => void (await transport.verify())),
  };
}

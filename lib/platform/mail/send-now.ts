import { AppError } from "../errors";
import { secondMs } from "../time";
import { createMailer, type Mail, MailError, type Mailer } from "./mailer";
import type { MailSettings } from "./settings";

/** The client waits for the mail. */
const mailTimes = { answerTimeoutMs: 5 * secondMs, mailTimeoutMs: 15 * secondMs };

/**
 * Sends the mail that a request asked for, to the address in its body field "email". Throws AppError: bad_request if the
 * mail server refuses the address, otherwise service_unavailable.
 */
export async function sendNow(settings: MailSettings, mail: Mail, given?: Mailer): Promise<void> {
  const mailer = given ?? (await createMailer(settings, mailTimes));
  try {
    await mailer.send(mail);
  } catch (cause) {
    if (!(cause instanceof MailError)) throw cause;
    if (cause.kind === "refused")
      throw new AppError(
        "bad_request",
        `Body field "email": the mail server refuses this address (${cause.status}). Check it for a typo.`,
      );
    const message = "The mail could not be sent. Try again in a few minutes.";
    throw new AppError("service_unavailable", message, { cause });
  }
}

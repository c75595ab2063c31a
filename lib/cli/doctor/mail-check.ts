import { createMailer, type MailVariables, mailSettings } from "#lib/platform/mail/index";
import { secondMs } from "#lib/platform/time";
import { type Check, fail, ok } from "./check";

/** Longest time for each answer of the mail server, in milliseconds. */
const answerTimeoutMs = 3 * secondMs;

/** Connects to the mail server and logs in. No result if mail is not configured. */
export async function checkMail(variables: MailVariables): Promise<Check[]> {
  const name = "mail";
  const settings = mailSettings(variables);
  if (!settings) {
    if (!variables.MAIL_FROM) return [];
    return [fail(name, "MAIL_FROM is set without SMTP_URL", "set SMTP_URL, or remove MAIL_FROM")];
  }
  const { protocol, host, username } = new URL(settings.smtpUrl);
  await (await createMailer(settings, { answerTimeoutMs })).verify();
  const login = username ? ", and takes the login" : ", without a login";
  return [ok(name, `${protocol}//${host} answers${login}`)];
}

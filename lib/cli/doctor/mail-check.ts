import { createMailer, type MailVariables, mailSettings } from "#lib/platform/mail/index";
import { type Check, fail, ok } from "./check";

/** Connects to the mail server and logs in; each of its answers may take `answerTimeoutMs`. No result if mail is not configured. */
export async function checkMail(variables: MailVariables, answerTimeoutMs: number): Promise<Check[]> {
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

import { type Config, config } from "../config";
import { notConfigured } from "../errors";

/** What sending mail needs. */
export type MailSettings = {
  /** `smtp://` or `smtps://`; may contain a password. */
  smtpUrl: string;
  from: { name: string; address: string };
  /** Origin of the links in mails, without a trailing slash. */
  origin: string;
};

/** The variables of mail. */
export type MailVariables = Partial<Pick<Config, "SMTP_URL" | "MAIL_FROM" | "BASE_URL">>;

/** Returns the settings of mail; undefined unless all of them are configured. */
export function mailSettings(
  { SMTP_URL: smtpUrl, MAIL_FROM: from, BASE_URL: baseUrl }: MailVariables = config(),
): MailSettings | undefined {
  return smtpUrl && from && baseUrl ? { smtpUrl, from, origin: new URL(baseUrl).origin } : undefined;
}

/** Returns the settings of mail. Throws AppError service_unavailable unless all of them are configured. */
export function requireMailSettings(): MailSettings {
  const settings = mailSettings();
  if (settings) return settings;
  throw notConfigured("This server sends no e-mail.", "e-mail needs SMTP_URL, MAIL_FROM and BASE_URL");
}

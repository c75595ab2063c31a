export { createMailer, type Mail, MailError, type Mailer, type MailerOptions } from "./mailer";
export { type MailSettings, type MailVariables, mailSettings, requireMailSettings } from "./settings";

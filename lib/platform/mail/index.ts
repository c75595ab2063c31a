export { createMailer, type Mail, MailError, type Mailer } from "./mailer";
export { type MailSettings, type MailVariables, mailSettings, requireMailSettings } from "./settings";

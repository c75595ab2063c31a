export { element, layout, link, linkMail } from "./layout";
export { hashAddress, hashMailbox } from "./mailbox";
export { createMailer, type Mail, MailError, type Mailer } from "./mailer";
export { sendNow } from "./send-now";
export { type MailSettings, type MailVariables, mailSettings, requireMailSettings } from "./settings";

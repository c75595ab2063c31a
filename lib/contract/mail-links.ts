import { domainToASCII } from "node:url";
import * as z from "zod";
import { pageBody } from "./endpoint";

const maxEmailLength = 254;

/** As zod's, but the top-level domain can be an internationalised one. */
const emailPattern =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:[A-Za-z]{2,}|xn--[A-Za-z0-9-]+)$/;

/** Returns an address with its domain in ASCII, as browsers send it: `user@xn--bcher-kva.example`. */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  const domain = address.slice(at);
  return /[^ -~]/.test(domain) ? `${address.slice(0, at)}${domainToASCII(domain)}` : address;
}

const notAnAddress = "must be one e-mail address, without a name";

/** An address to which a request has a mail sent. */
export const emailSchema = z
  .string({ error: notAnAddress })
  .trim()
  .overwrite(withAsciiDomain)
  .check(
    z.email({ pattern: emailPattern, error: notAnAddress }),
    z.maxLength(maxEmailLength, { error: `must have at most ${maxEmailLength} characters` }),
  );

const tokenQuerySchema = z.object({
  token: z
    .string({ error: "is missing; open the link of the mail" })
    .regex(/^[A-Za-z0-9_-]{43}$/, "is incomplete; open the link of the mail")
    .meta({ description: "The token of the link in the mail." }),
});

/** Declares what the endpoints of links in mails have in common. Their answers are pages. */
export const linked = {
  auth: "none",
  query: tokenQuerySchema,
  cacheControl: "no-store",
  errorTypes: { not_found: ["text/html"] },
} as const;
/** Mail programs and forms send a body. */
export const posted = { method: "POST", rawBodyByteSize: 4 * 1024 } as const;
export const tooLarge = "The body is larger than 4 KiB.";
export const invalidToken = "`token` is missing or incomplete.";

/** Declares the response with a page. */
export const page = (description: string) => ({ description, body: pageBody });

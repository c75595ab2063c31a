import { createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMailer, MailError } from "#lib/platform/mail/index";
import { listen } from "#tests/support/listen";
import { decodeHeader, MailServer, mailTo } from "#tests/support/mail-server";
import { selfSigned } from "#tests/support/self-signed";
import { temporaryFolder } from "#tests/support/temporary-folder";

const { cert, key } = selfSigned(temporaryFolder());

async function start(options: ConstructorParameters<typeof MailServer>[0] = {}) {
  const server = new MailServer(options);
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}

async function failureOf(work: Promise<unknown>): Promise<MailError> {
  const thrown = await work.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(MailError);
  return thrown as MailError;
}

describe("a mail", () => {
  it("arrives with both texts, a Message-ID, and the headers of the one-click unsubscription", async () => {
    const server = await start();
    const mailer = await createMailer(server.settings);
    const unsubscribeUrl = `https://tapedeck.example/api/v1/digests/unsubscribe?token=${"a".repeat(43)}`;
    await mailer.send(mailTo("a@b.example", { subject: "Grüße", text: "Wörter\n", html: "<p>ü</p>", unsubscribeUrl }));
    const [mail] = server.received;
    expect(mail).toMatchObject({ from: "alerts@tapedeck.example", to: "a@b.example", html: "<p>ü</p>" });
    expect(mail?.text.trim()).toBe("Wörter");
    const header = (name: string) => mail?.headers.get(name);
    expect(decodeHeader(header("subject") ?? "")).toBe("Grüße");
    expect(header("message-id")).toBe("<one@tapedeck.example>");
    expect(header("list-unsubscribe")).toBe(`<${unsubscribeUrl}>`);
    expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    expect(header("auto-submitted")).toBe("auto-generated");
  });

  it("has no other headers or recipients, whatever its subject, sender and address contain", async () => {
    const server = await start();
    const mailer = await createMailer({
      smtpUrl: server.url,
      from: { name: 'Tape\r\nBcc: c@d.example\r\n"deck', address: "alerts@tapedeck.example" },
    });
    await mailer.send(mailTo("a@b.example", { subject: "One\r\nBcc: c@d.example\r\n\r\nBody\u2028X: 1" }));
    for (const to of ["a@b.example>\r\nRCPT TO:<c@d.example", "a@b.example, c@d.example", "A <a@b.example>"])
      await failureOf(mailer.send(mailTo(to)));
    expect(server.received.length).toBe(1);
    for (const { to, headers, raw } of server.received) {
      expect(to).not.toMatch(/^c@d|,/);
      expect([...headers.keys()]).not.toContain("bcc");
      expect(raw).not.toMatch(/^Bcc:/im);
    }
  });
});

describe("TLS", () => {
  it("is used when the server offers STARTTLS, and with smtps:// from the start", async () => {
    const [starting, encrypted] = [await start({ key, cert }), await start({ key, cert, secure: true })];
    for (const smtpUrl of [starting.url, encrypted.url.replace("smtp:", "smtps:")]) {
      const mailer = await createMailer({ ...starting.settings, smtpUrl }, { tls: { ca: cert } });
      await mailer.send(mailTo("a@b.example"));
    }
    expect([...starting.received, ...encrypted.received].map(({ isEncrypted }) => isEncrypted)).toEqual([true, true]);
  });

  it("with a certificate that is not trusted sends nothing, not even in the clear", async () => {
    const server = await start({ key, cert });
    const error = await failureOf((await createMailer(server.settings)).send(mailTo("a@b.example")));
    expect(error.kind).toBe("unreachable");
    expect(server.received).toEqual([]);
  });

  it("is required for a password, except on the machine itself", async () => {
    const lines: string[] = [];
    const server = createServer((socket: Socket) => {
      socket.on("error", () => undefined);
      socket.write("220 test\r\n");
      socket.on("data", (data) => {
        lines.push(data.toString("utf8"));
        socket.write(/^EHLO/.test(data.toString("utf8")) ? "250-test\r\n250 AUTH PLAIN LOGIN\r\n" : "502 no\r\n");
      });
    });
    const port = await listen(server, "0.0.0.0");
    // The same machine under an address that is not a loopback address.
    const mailer = await createMailer({
      smtpUrl: `smtp://user:secret-password@0.0.0.0:${port}`,
      from: { name: "", address: "alerts@tapedeck.example" },
    });
    const error = await failureOf(mailer.verify());
    expect(error.kind).toBe("unreachable");
    expect(lines.join("")).toMatch(/EHLO[\s\S]*STARTTLS/);
    expect(lines.join("")).not.toContain("AUTH");
  });
});

describe("a failure", () => {
  it.each([
    [550, "refused"],
    [554, "refused"],
    [450, "delayed"],
    [421, "unreachable"],
  ])("with status %i for the address is %s, and its message does not have the server's text", async (status, kind) => {
    const server = await start();
    server.onRecipient = (address) => ({ status, message: `no ${address}` });
    const error = await failureOf((await createMailer(server.settings)).send(mailTo("a@b.example")));
    expect([error.kind, error.status]).toEqual([kind, status]);
    expect(error.message).not.toContain("a@b.example");
    expect(error.message).toContain(String(status));
  });

  it("of the login, the sender or the connection is about the server, and does not show the password", async () => {
    const server = await start({ authOptional: false });
    const smtpUrl = server.url.replace("//", "//user:wr%40ng@");
    const login = await failureOf((await createMailer({ ...server.settings, smtpUrl })).verify());
    expect([login.kind, login.status]).toEqual(["unreachable", 535]);
    expect(login.message).not.toContain("wr");
    expect(server.logins).toEqual([{ username: "user", password: "wr@ng", isEncrypted: false }]);
    const sender = await start({
      onMailFrom: (_address, _session, done) => done(Object.assign(new Error("no"), { responseCode: 550 })),
    });
    const bySender = await failureOf((await createMailer(sender.settings)).send(mailTo("a@b.example")));
    expect([bySender.kind, bySender.status]).toEqual(["unreachable", 550]);
    await sender.stop();
    const gone = await failureOf((await createMailer(sender.settings)).send(mailTo("a@b.example")));
    expect([gone.kind, gone.status]).toEqual(["unreachable", null]);
  });

  it("ends a server that says nothing, after the configured time", async () => {
    const port = await listen(createServer((socket) => void socket.on("error", () => undefined)));
    const settings = { smtpUrl: `smtp://127.0.0.1:${port}`, from: { name: "", address: "a@b.example" } };
    const mailer = await createMailer(settings, { answerTimeoutMs: 50 });
    expect((await failureOf(mailer.send(mailTo("a@b.example")))).kind).toBe("unreachable");
  });
});

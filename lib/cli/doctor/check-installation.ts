import { configuredJobs, readInstallation, scheduledJobs } from "#lib/jobs/index";
import { neededQueueSchema } from "#lib/jobs/queue/needed-schema";
import { workerBudgetMs } from "#lib/jobs/work";
import { systemClock } from "#lib/platform/clock";
import { commandLine } from "#lib/platform/command-line";
import { ConfigError, config, parseConfig, type VariableProblem, withEnvironment } from "#lib/platform/config";
import { findEmbeddedPostgres } from "#lib/platform/database/embedded-postgres";
import { createDatabase, type Database } from "#lib/platform/database/index";
import { inspectServer } from "#lib/platform/database/inspect-server";
import { embeddedDatabaseFolder } from "#lib/platform/database/paths";
import { DecryptionError, type EncryptionKeys } from "#lib/platform/encryption";
import { readKeyFile } from "#lib/platform/encryption-key-file";
import { createMailer, type MailVariables, mailSettings } from "#lib/platform/mail/index";
import { decodeUrlPart, parseUrl } from "#lib/platform/parse-url";
import { openContact } from "#lib/tracking/digests/contacts";
import { openSecret } from "#lib/tracking/webhooks/secrets";
import { describeUrl } from "../launcher/open-database";
import { type Check, checkRunner, fail, ok, type RunCheck } from "./check";
import { checkEncryption, checkJobs, checkQueues, checkServer } from "./database-checks";
import { checkPaymentEvents, checkPaymentPrices, paymentAdvice } from "./payment-checks";
import { checkBaseUrl, checkNode, checkSecrets, checkVariables } from "./settings-checks";
import { readLastWork, readSealedContacts, readSealedSecrets } from "./store";
import { checkCassettes, checkDisk, checkRedis, checkSearch } from "./store-checks";

/** Connects to the mail server and logs in; each of its answers may take `answerTimeoutMs`. No result if mail is not configured. */
async function checkMail(variables: MailVariables, answerTimeoutMs: number): Promise<Check[]> {
  const name = "mail";
  const settings = mailSettings(variables);
  if (!settings) return [];
  const { protocol, host, username } = new URL(settings.smtpUrl);
  await (await createMailer(settings, { answerTimeoutMs })).verify();
  const login = username ? ", and takes the login" : ", without a login";
  return [ok(name, `${protocol}//${host} answers${login}`)];
}

type Environment = Record<string, string | undefined>;

const withoutInvalid = (environment: Environment, problems: readonly VariableProblem[]): Environment => ({
  ...environment,
  ...Object.fromEntries(problems.map(({ name }) => [name, undefined])),
});

/** Returns all problems: what needs a variable that is not valid has one too. */
function problemsOf(environment: Environment): readonly VariableProblem[] {
  try {
    parseConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problems } = error;
    const others = problemsOf(withoutInvalid(environment, problems));
    return [...problems, ...others.filter(({ message }) => !problems.some(({ name }) => message.includes(name)))];
  }
}

function configuredKeys(): EncryptionKeys | undefined {
  const { ENCRYPTION_KEYS, DATABASE_URL } = config();
  const stored = DATABASE_URL === undefined ? readKeyFile() : undefined;
  return ENCRYPTION_KEYS ?? (stored && [stored]);
}

async function checkStoredSecrets(database: Database): Promise<Check> {
  const keys = configuredKeys();
  const isUnreadable = (open: typeof openSecret | typeof openContact) => (row: { id: string; sealed: string }) => {
    try {
      open(keys ?? [], row.id, row.sealed);
      return false;
    } catch (error) {
      if (error instanceof DecryptionError) return true;
      throw error;
    }
  };
  const [secrets, contacts] = await Promise.all([readSealedSecrets(database), readSealedContacts(database)]);
  const unreadable = [...secrets.filter(isUnreadable(openSecret)), ...contacts.filter(isUnreadable(openContact))];
  const count = secrets.length + contacts.length;
  return checkEncryption({ hasKeys: keys !== undefined, count, unreadableCount: unreadable.length });
}

async function checkWork(database: Database): Promise<Check[]> {
  const [status, lastWork] = await Promise.all([readInstallation(database, systemClock), readLastWork(database)]);
  // With CRON=off, the jobs run on another machine.
  const jobs = config().CRON === "off" ? configuredJobs(config()) : scheduledJobs(config());
  const scheduled = jobs.map(({ name, everyMs, budgetMs, queues }) => {
    return { name, everyMs, maxRunMs: queues ? Math.max(budgetMs, workerBudgetMs) : budgetMs };
  });
  return [...checkQueues(status, lastWork), ...checkJobs(scheduled, status, lastWork)];
}

/** Checks the database and what it contains; only that it does not answer if that is so. Starts no server. */
async function checkDatabase(bounded: RunCheck): Promise<Check[]> {
  let url = config().DATABASE_URL;
  const notRunning = await bounded("database", commandLine("database start"), async () => {
    url ??= await findEmbeddedPostgres(embeddedDatabaseFolder());
    const advice = `${commandLine("up")}, or ${commandLine("database start")}`;
    return url === undefined ? [fail("database", "the embedded database is not running", advice)] : [];
  });
  return url === undefined ? notRunning : checkServerAt(url, bounded);
}

async function checkServerAt(url: string, bounded: RunCheck): Promise<Check[]> {
  const place = describeUrl(url);
  let database: Database | undefined;
  const unreachable = `check that PostgreSQL runs at ${place}, and the account and password in DATABASE_URL`;
  const server = await bounded("database", unreachable, async (timeoutMs) => {
    const facts = await inspectServer(url, timeoutMs);
    if (facts.migrations.pending.length === 0) database = createDatabase(url, timeoutMs);
    return checkServer(facts, place, neededQueueSchema());
  });
  if (!database) return server;
  const opened = database;
  try {
    const contents = await Promise.all([
      bounded("queues", "try again; the database answers slowly", () => checkWork(opened)),
      bounded("encryption-keys", "try again", async () => [await checkStoredSecrets(opened)]),
      bounded("payment-events", paymentAdvice, (timeoutMs) => checkPaymentEvents(config(), opened, timeoutMs)),
    ]);
    return [...server, ...contents.flat()];
  } finally {
    await opened.$disconnect();
  }
}

async function checkAll(problems: readonly VariableProblem[], bounded: RunCheck): Promise<Check[]> {
  const settings = config();
  const isDatabaseKnown = !problems.some(({ name }) => name === "DATABASE_URL");
  const store = "check that it can be reached from here, and that its token allows reading and writing";
  const results = await Promise.all([
    isDatabaseKnown ? checkDatabase(bounded) : [fail("database", "DATABASE_URL is not valid", "correct DATABASE_URL")],
    bounded("cassettes", store, async (timeoutMs) => [await checkCassettes(settings, timeoutMs)]),
    bounded("redis", store, (timeoutMs) => checkRedis(settings, timeoutMs)),
    bounded("search", store, checkSearch),
    bounded("payment-prices", paymentAdvice, (timeoutMs) => checkPaymentPrices(settings, timeoutMs)),
    bounded(
      "mail",
      "check SMTP_URL: host, port, user and password, and that it can be reached from here",
      (timeoutMs) => checkMail(settings, timeoutMs),
    ),
    isDatabaseKnown ? bounded("disk", "check the folder of TAPEDECK_DATA_DIR", () => checkDisk(settings)) : [],
  ]);
  return [
    ...checkVariables(problems),
    checkNode(process.versions.node),
    checkBaseUrl(settings),
    ...checkSecrets(settings),
    ...results.flat(),
  ];
}

const secretName = /TOKEN|SECRET|KEY/;
/** Shorter values would mask parts of words. */
const minSecretLength = 4;

/** Returns the password of the mail server, as it is written in its URL and as it is sent. */
function mailPasswords({ SMTP_URL }: Environment): string[] {
  const password = parseUrl(SMTP_URL ?? "")?.password ?? "";
  return [password, decodeUrlPart(password) ?? ""];
}

/** Returns the values of an environment that are secret. */
function secretsOf(environment: Environment): string[] {
  const isSecret = ([name]: readonly [string, unknown]) => secretName.test(name);
  const values = Object.entries(environment)
    .filter(isSecret)
    .map(([, value = ""]) => value);
  return [...values, ...mailPasswords(environment)].filter(({ length }) => length >= minSecretLength);
}

/**
 * Checks this installation without changing it. Invalid variables are reported, and then count as unset. What is in the
 * database is checked only if it answers and has all tables. An answer of the database or a store may take `timeoutMs`
 * milliseconds. No result contains a secret.
 */
export async function checkInstallation(environment: Environment, timeoutMs: number): Promise<Check[]> {
  const problems = problemsOf(environment);
  const bounded = checkRunner(secretsOf(environment), timeoutMs);
  return withEnvironment(withoutInvalid(environment, problems), () => checkAll(problems, bounded));
}

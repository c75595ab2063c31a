import { expect, test } from "vitest";
import { secretsOf } from "#lib/replay/recording-proxy/read-request";

test.each([
  "OPENAI_API_KEY",
  "GITHUB_TOKEN",
  "STRIPE_SECRET",
  "DB_PASSWORD",
  "DB_PASS",
  "DB_PASSWD",
  "MYSQL_PWD",
  "GITHUB_PAT",
  "AZURE_CREDENTIALS",
  "GPG_PASSPHRASE",
  "REDIS_AUTH",
  "SENTRY_DSN",
  "DSN",
])("the value of %s is a secret", (name) => {
  expect(secretsOf({ [name]: "any value of 13 characters" })).toEqual(["any value of 13 characters"]);
});

test.each(["PWD", "OLDPWD", "PATH", "COMPAT", "BYPASS", "SSH_AUTH_SOCK", "MAX_TOKENS", "KEYBOARD", "NODE_ENV"])(
  "the value of %s is none",
  (name) => {
    expect(secretsOf({ [name]: "pN46geatMA0l-pN46geatMA0l" })).toEqual([]);
  },
);

test.each(["pN46geatMA0l", "7hunter2", "p@ssword", "s3cr3t-x9"])("%s is a secret, although it is short", (value) => {
  expect(secretsOf({ DB_PASS: value })).toEqual([value]);
});

test.each([
  "hunter2",
  "postgres16",
  "tenant42",
  "version1",
  "llama3.1:8b",
  "development",
  "production",
  "createdAt",
  "tenant_id",
  "us-east-1",
  "gpt-4o-mini",
  "2026-11-27",
  "12345678",
  "/tmp/key",
  "1.20.300",
  "localhost",
  "true, false",
])("%s may be in other texts, and is no secret", (value) => {
  expect(secretsOf({ SORT_KEY: value })).toEqual([]);
});

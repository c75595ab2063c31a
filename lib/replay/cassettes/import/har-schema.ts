import { z } from "zod";

const headersSchema = z.array(z.looseObject({ name: z.string(), value: z.string() })).default([]);
const durationSchema = z.number().nullish();

/** What is read of a HAR 1.2 entry, and of the members that browsers and proxies add to it. */
export const harEntrySchema = z.looseObject({
  startedDateTime: z.string().optional(),
  pageref: z.string().optional(),
  request: z.looseObject({
    method: z.string().default(""),
    url: z.string().default(""),
    postData: z.looseObject({ text: z.string().optional() }).nullish(),
  }),
  response: z.looseObject({
    status: z.number().default(0),
    headers: headersSchema,
    content: z
      .looseObject({ mimeType: z.string().optional(), text: z.string().optional(), encoding: z.string().optional() })
      .default({}),
  }),
  timings: z
    .looseObject({
      blocked: durationSchema,
      dns: durationSchema,
      connect: durationSchema,
      wait: durationSchema,
      receive: durationSchema,
    })
    .default({}),
  /** Chromium and those who follow it: one per event, `time` in seconds (or milliseconds) since 1970. */
  _eventSourceMessages: z
    .array(z.looseObject({ time: z.number(), eventName: z.string().optional(), data: z.string().default("") }))
    .nullish(),
  /** chrome-har (Browsertime, sitespeed.io): one per read, `ts` in milliseconds since the page's start. */
  _chunks: z.array(z.looseObject({ ts: z.number(), bytes: z.number() })).nullish(),
});
export type HarEntry = z.infer<typeof harEntrySchema>;

export const harSchema = z.looseObject({
  log: z.looseObject({
    creator: z.looseObject({ name: z.string().default(""), version: z.string().default("") }).optional(),
    pages: z.array(z.looseObject({ id: z.string(), startedDateTime: z.string().optional() })).nullish(),
    entries: z.array(z.unknown()),
  }),
});
export type Har = z.infer<typeof harSchema>;

import * as z from "zod";

/** Slowest and fastest replay, as factors on the cassette's speed. */
const minSpeed = 0.1;
const maxSpeed = 100;

const decimal = /^(?:\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})$/;

/** `0.1` to `100`, or `max`, which becomes Infinity. */
export const speedSchema = z
  .string()
  .refine((text) => text === "max" || (decimal.test(text) && Number(text) >= minSpeed && Number(text) <= maxSpeed), {
    error: `must be a number from ${minSpeed} to ${maxSpeed}, or max`,
  })
  .transform((text) => (text === "max" ? Number.POSITIVE_INFINITY : Number(text)))
  .meta({ description: "Playback speed as a factor, 0.1 to 100, or `max` for no delays.", examples: ["2"] });

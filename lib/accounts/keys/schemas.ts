import { z } from "zod";

export const rotateKeyQuerySchema = z.object({
  grace: z
    .literal("true", { error: 'must be "true"' })
    .optional()
    .meta({ description: "`true` keeps the old key valid for 24 hours, but not beyond its own expiry." }),
});

export const keyRotationSchema = z
  .object({
    new_key: z
      .string()
      .regex(/^ltf_[0-9A-Za-z]{38}$/)
      .meta({ description: "The new key. It is shown only once." }),
    rotated_at: z.iso.datetime(),
    note: z.string().meta({ description: "What to do next, and how long the old key remains valid." }),
    grace_period: z
      .string()
      .optional()
      .meta({ description: "How long the old key remains valid; only with `grace=true`." }),
  })
  .meta({ id: "KeyRotation", description: "A rotated key." });
export type KeyRotation = z.infer<typeof keyRotationSchema>;

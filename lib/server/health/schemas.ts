import { z } from "zod";

export const healthSchema = z
  .object({
    status: z.literal("ok"),
    version: z.string().meta({ description: "Version of the application." }),
    timestamp: z.iso.datetime().meta({ description: "Time of the server." }),
    db_connected: z.boolean().meta({ description: "Whether the database answers." }),
  })
  .meta({ id: "Health", description: "Health of the service." });
export type Health = z.infer<typeof healthSchema>;

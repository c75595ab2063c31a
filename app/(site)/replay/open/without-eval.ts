import * as z from "zod";

// zod tries to compile schemas when they are created. The page's policy forbids that, and browsers would report it.
z.config({ jitless: true });

import type { NextConfig } from "next";
import { config } from "./lib/platform/config";

// A bad environment fails the build, with one line per variable.
config();

const nextConfig: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  env: { TAPEDECK_BUILD_DATE: new Date().toISOString().slice(0, 10) },
  outputFileTracingIncludes: { "/**": ["./content/**/*"] },
  serverExternalPackages: ["pino", "pg", "@prisma/client", "@prisma/adapter-pg"],
};

export default nextConfig;

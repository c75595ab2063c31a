import { getHealth, getHealthEndpoint } from "#lib/server/health/index";
import { bind } from "#lib/server/http/bindings";

export const bindings = [bind(getHealthEndpoint, getHealth)];

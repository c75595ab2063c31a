export { getHealthEndpoint, healthEndpoints } from "./endpoints";
export { getHealth, isReady } from "./get-health";

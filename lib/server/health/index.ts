export { getHealthEndpoint, healthEndpoints } from "./endpoints";
export { getHealth } from "./get-health";

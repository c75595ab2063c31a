export { fleetEndpoints, getFleetEndpoint } from "./endpoints";
export { getFleet } from "./get-fleet";
export type { Fleet } from "./schemas";
export { verifyFleet } from "./verify-fleet";

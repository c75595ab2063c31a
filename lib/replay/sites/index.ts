export { fleetEndpoints, getFleetEndpoint } from "./endpoints";
export { getFleet } from "./get-fleet";
export { type Fleet, fleetSchema } from "./schemas";
export { currentSite, memberOrigin, type Site, type SiteUrls, sites } from "./sites";
export { verifyFleet } from "./verify-fleet";

export { currentSite, memberOrigin, type SiteUrls } from "./current-site";
export { fleetEndpoints, getFleetEndpoint } from "./endpoints";
export { getFleet } from "./get-fleet";
export { type Fleet, fleetSchema } from "./schemas";
export { type Site, sites } from "./sites";
export { verifyFleet } from "./verify-fleet";

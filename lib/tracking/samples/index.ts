export { readSamples, type Sample } from "./read-samples";
export { type SeedContext, seedSamples } from "./seed-samples";

export { compareSnapshots } from "./compare-snapshots";
export { comparisonBounds } from "./comparison/compare-versions";
export { compareSnapshotsEndpoint, getSnapshotEndpoint, historyEndpoints, listSnapshotsEndpoint } from "./endpoints";
export { type ComparePage, getComparePage, type ShownComparison } from "./pages/compare-page";
export { getVersionPage, listVersions, type VersionList, type VersionPage } from "./pages/version-page";
export { compareSnapshotsTool, historyTools, listSnapshotsTool } from "./tools";
export { getSnapshot, listSnapshots } from "./versions";

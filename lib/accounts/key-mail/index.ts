export { getKeyLinkEndpoint, issueKeyEndpoint, keyMailEndpoints, requestKeyEndpoint } from "./endpoints";
export { getKeyLink, isSignUpOpen, issueKey, type LinkedAccount, requestKey } from "./issue-key";
export { storedMailbox } from "./mailbox";
export { pruneKeyLinks } from "./store";

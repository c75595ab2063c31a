export { getKeyLinkEndpoint, issueKeyEndpoint, keyMailEndpoints, requestKeyEndpoint } from "./endpoints";
export { getKeyLink, isSignUpOpen, issueKey, type LinkedAccount, requestKey } from "./issue-key";
export { mailboxHashes, storedMailbox } from "./mailbox";
export { pruneKeyLinks } from "./store";

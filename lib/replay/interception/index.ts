export { CertificateAuthority } from "./certificate-authority";
export { interceptedEnvironment } from "./child-environment";
export { Interceptor, processOf, type Target } from "./interceptor";
export { findModelHost, isModelCall, type ModelHost, mayBeModelCall } from "./model-hosts";

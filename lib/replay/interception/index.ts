export { CertificateAuthority } from "./certificate-authority";
export {
  holdEnds,
  interceptedEnvironment,
  localHost,
  localName,
  type RunNotes,
  type TaskRunner,
  taskRunners,
} from "./child-environment";
export { Interceptor, pipeBoth, processHeader, processOf, type Target } from "./interceptor";
export {
  coversModelHost,
  findModelHost,
  isHostLike,
  isModelCall,
  keyVariables,
  keyVariablesOf,
  type ModelHost,
  mayBeModelCall,
} from "./model-hosts";

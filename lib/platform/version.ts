/** Version of the application. A test compares it with package.json. */
export const version = "1.0.0";
/** Version of the contract, in the OpenAPI document. It stays, whatever is added. */
export const interfaceVersion = "1.1.0";
/** Name of the service in `_meta.service`, MCP and the CLI. */
export const serviceName = "tapedeck";

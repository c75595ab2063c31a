/** Version of the application. A test compares it with package.json. */
export const version = "1.0.0";
/** Version of the HTTP API, in the OpenAPI document. */
export const interfaceVersion = "1.5.0";
/** Name of the service in `_meta.service`, MCP and the CLI. */
export const serviceName = "tapedeck";

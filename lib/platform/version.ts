/** The application's version; a test keeps it equal to package.json's. */
export const version = "1.0.0";
/** Version of the HTTP interface, as the OpenAPI document carries it. */
export const interfaceVersion = "1.1.0";
/** The product's name in `_meta.service`, MCP and the CLI. */
export const serviceName = "tapedeck";

/** The version of this package, which a test holds to package.json, as the service is told it. */
export const USER_AGENT = "otherwise-client-typescript/0.1.0";

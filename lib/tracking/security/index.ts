export { type Finding, nameFinding } from "./finding";
export { maxSecurityScore, scoreSecurity } from "./score-security";

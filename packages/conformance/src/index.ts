export { describeConnector } from './describe-connector.ts';

export { provisionForTest, targetOf, type TestedWorkload, testRpcConnector } from './connector-suite.ts';
export { fuzzServer, type FuzzOptions, type FuzzReport } from './fuzz.ts';
export { exchangeRaw, type RawExchange } from './raw-exchange.ts';

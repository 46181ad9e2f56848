export { climb, type Point } from './climb.ts';
export { searchBestPoints, type SearchFindings } from './search-stage.ts';

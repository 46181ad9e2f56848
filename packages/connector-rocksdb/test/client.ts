export { default } from '@fair-bench/native-engine/client';

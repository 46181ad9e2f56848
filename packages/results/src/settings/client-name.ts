import { z } from 'zod';

export const clientNameSchema = z.enum(['node', 'native']);
export type ClientName = z.infer<typeof clientNameSchema>;

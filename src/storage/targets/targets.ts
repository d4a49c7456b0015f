import type { TargetKind } from '../target.ts';
import { azure } from './azure.ts';
import { folder } from './folder.ts';
import { s3 } from './s3.ts';

/** All kinds of targets. */
export const TARGETS: readonly TargetKind[] = [s3, azure, folder];

import { expect, it } from 'vitest';
import { schemeOf } from '../../../src/contract/files/url-scheme.ts';

it.each([
  ['https://host', 'https'],
  ['S3:/bucket', 's3'],
  ['a+b.c-d:\\x', 'a+b.c-d'],
  ['./s3:/bucket', undefined],
  ['C:\\folder', undefined],
  ['3s:/bucket', undefined],
  ['s3:bucket', undefined],
  ['a folder/s3://bucket', undefined],
])('the scheme of %s is %s', (text, scheme) => expect(schemeOf(text)).toBe(scheme));

// aws s3 cp FILE s3://BUCKET/KEY, for machines without the AWS CLI
import { readFileSync } from 'node:fs';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

const [service, command, file, to] = process.argv.slice(2);
const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(to) ?? [];
if (service !== 's3' || command !== 'cp' || Bucket === undefined)
  throw new Error(`unknown command: aws ${process.argv.slice(2).join(' ')}`);
const client = new S3Client({ endpoint: process.env.AWS_ENDPOINT_URL, forcePathStyle: true });
await client.send(new PutObjectCommand({ Bucket, Key, Body: readFileSync(file) }));

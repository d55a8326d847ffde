// Mockoon has no option to disable its log line per request.
process.stdout.write = () => true;

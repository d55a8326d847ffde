// Mockaton has no option to disable its log line per request.
console.log = () => {};
export default { mocksDir: "mocks", onReady() {} };

// Written by 'mockpets init', and yours to change; agents: mockpets skill
import { expect, test } from "{{module}}";

test("a pet that does not exist", async ({ mock, request }) => {
  await mock.use("pet-missing");
  const headers = { Authorization: `Bearer ${mock.key}` };
  const response = await request.get(`${mock.baseUrl}/pets/3`, { headers });
  expect(response.status()).toBe(404);
  await expect(mock).toHaveReceived(
    { operation: "getPet", params: { petId: 3 } },
    1,
  );
});

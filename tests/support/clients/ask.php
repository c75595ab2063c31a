<?php
$messages = [["role" => "user", "content" => "What is the capital of Portugal?"]];
$request = curl_init("https://api.openai.com/v1/chat/completions");
curl_setopt($request, CURLOPT_POSTFIELDS, json_encode(["model" => "gpt-test", "messages" => $messages]));
curl_setopt($request, CURLOPT_HTTPHEADER, ["content-type: application/json"]);
if (!curl_exec($request)) throw new Exception(curl_error($request));

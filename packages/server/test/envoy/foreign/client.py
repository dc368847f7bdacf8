"""A client of Envoy's protocol on Python's gRPC, with the messages of Envoy's published protos.

Takes a port and a file with descriptors of the protos. Reads requests as JSON, one a line, sends each as it comes, and
writes the responses as JSON, or the status of gRPC.
"""

import json
import sys

import grpc
from google.protobuf import descriptor_pb2, json_format, message_factory

METHOD = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit"


def message_classes(path):
    files = descriptor_pb2.FileDescriptorSet()
    with open(path, "rb") as image:
        files.ParseFromString(image.read())
    return message_factory.GetMessages(files.file)


def main():
    port, image = sys.argv[1:]
    classes = message_classes(image)
    request_class = classes["envoy.service.ratelimit.v3.RateLimitRequest"]
    response_class = classes["envoy.service.ratelimit.v3.RateLimitResponse"]
    channel = grpc.insecure_channel("127.0.0.1:" + port)
    ask = channel.unary_unary(METHOD, request_class.SerializeToString, response_class.FromString)
    for line in sys.stdin:
        request = json_format.Parse(line, request_class())
        try:
            answer = json_format.MessageToDict(ask(request, timeout=20))
        except grpc.RpcError as error:
            answer = {"status": error.code().name, "details": error.details()}
        print(json.dumps(answer), flush=True)


main()
